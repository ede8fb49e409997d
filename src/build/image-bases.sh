#!/bin/sh
# Makes the two images that the Dockerfile begins with, for a machine that reaches packages of Debian but no registry of images:
# localhost/sluice-jdk has the JDK of this machine and Maven, localhost/sluice-base the C and C++ libraries and nothing else.
# Needs buildah, mmdebstrap and, as they do, root or user namespaces. The argument is a JDK 25.
set -eu
jdk=$(readlink -f "$1")
suite=bookworm
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What distroless/cc has: extracted packages, without a shell.
mmdebstrap --quiet --variant=extract --include=base-files,netbase,tzdata,libc6,libgcc-s1,libstdc++6 "$suite" "$work/base.tar"
mmdebstrap --quiet --variant=minbase --include=maven,ca-certificates "$suite" "$work/jdk.tar"

image() {
  container=$(buildah from scratch)
  buildah add --quiet "$container" "$2" / >/dev/null
  if [ "$1" = sluice-jdk ]; then
    buildah add --quiet "$container" "$jdk" /opt/java/openjdk >/dev/null
    buildah config --env JAVA_HOME=/opt/java/openjdk --env PATH=/opt/java/openjdk/bin:/usr/bin:/bin:/usr/sbin:/sbin "$container"
  fi
  buildah commit --quiet --rm "$container" "localhost/$1" >/dev/null
}
image sluice-base "$work/base.tar"
image sluice-jdk "$work/jdk.tar"
buildah images --format '{{.Name}}: {{.Size}}' | grep '^localhost/sluice-'
