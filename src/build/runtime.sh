#!/bin/sh
# Makes a small Java run-time for a distribution, in its folder java, where bin/sluice finds it before any other.
# Arguments: a JDK, the distribution, and more modules than the server needs, for plugins, such as java.sql,java.desktop.
set -eu
jdk=$1
distribution=$2
more=${3:-}

# java.xml: an operator's logback.xml. java.naming: DNS. java.net.http: spans by OTLP. jdk.jfr: flight recordings on request.
# jdk.management: memory and processor time. jdk.net: options of sockets. jdk.unsupported: Unsafe, for Netty. TLS and its
# elliptic curves are in java.base.
modules=java.base,java.logging,java.management,java.naming,java.net.http,java.xml,jdk.jfr,jdk.management,jdk.net,jdk.unsupported

rm -rf "$distribution/java"
"$jdk/bin/jlink" --add-modules "$modules${more:+,$more}" --strip-java-debug-attributes --no-header-files --no-man-pages --compress zip-6 \
  --output "$distribution/java"
# Texts of its licences are in java/legal.
"$jdk/bin/java" --class-path "$distribution/lib/*" "$(dirname "$0")/java/RuntimeBom.java" "$distribution"
echo "$distribution/java: $(du -sm "$distribution/java" | cut -f 1) MiB"
