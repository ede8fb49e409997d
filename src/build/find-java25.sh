#!/bin/sh
# Prints the home of a JDK 25, or nothing: JAVA_HOME if it is one, the java on the PATH, the places
# where packages and version managers put them.
for home in "$JAVA_HOME" "$(dirname "$(dirname "$(readlink -f "$(command -v javac 2>/dev/null)" 2>/dev/null)")")" \
  /usr/lib/jvm/* /opt/java/* /opt/jdk* "$HOME"/.sdkman/candidates/java/* "$HOME"/.jdks/* /Library/Java/JavaVirtualMachines/*/Contents/Home; do
  if [ -x "$home/bin/javac" ] && grep -qs '^JAVA_VERSION="25' "$home/release"; then
    echo "$home"
    exit 0
  fi
done
