# Makes an image from a checkout: docker build -t sluice . (podman, buildah and others take it, too), for the platform that it is
# built on: Linux x86-64 or aarch64.
#   FLAVOUR   onnx leaves out TensorFlow, which is four fifths of the image
#   MODULES   modules of Java that plugins need, such as java.sql,java.desktop
#   JDK       a JDK 25, with Maven or with apt-get
#   BASE      the C and C++ libraries
ARG JDK=docker.io/library/eclipse-temurin:25-jdk
ARG BASE=gcr.io/distroless/cc-debian12

FROM ${JDK} AS build
ARG FLAVOUR=tensorflow
ARG MODULES=
RUN command -v mvn >/dev/null || { apt-get update && apt-get install -y --no-install-recommends maven; }
WORKDIR /src
COPY . .
RUN mvn --quiet --batch-mode package -Dmaven.test.skip -Dformat.skip -Dflavour=${FLAVOUR}
RUN if [ "${FLAVOUR}" = onnx ]; then mv target/sluice-onnx /opt/sluice; else mv target/sluice /opt/sluice; fi
# A Java run-time, the cache that holds for it alone, and the flags of bin/sluice for a start without a shell.
RUN sh src/build/runtime.sh "${JAVA_HOME}" /opt/sluice "${MODULES}"
# Whole seconds: a layer rounds times to them, and the cache holds for jars of the same time.
RUN find /opt/sluice -exec touch --no-dereference --date=2026-01-01T00:00:00Z {} +
RUN /opt/sluice/bin/sluice aot-cache && /opt/sluice/bin/sluice java-options >/opt/sluice/lib/java.options

FROM ${BASE}
LABEL org.opencontainers.image.title="Sluice"
LABEL org.opencontainers.image.description="One inference server for TensorFlow Serving, KServe, Open Inference, grps and OpenAI clients"
LABEL org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /opt/sluice /opt/sluice
# What bin/sluice sets; it says why.
ENV ORT_DISABLE_TELEMETRY=1
ENV TF_CPP_MIN_LOG_LEVEL=2
ENV MALLOC_MMAP_THRESHOLD_=1048576

USER 1000:1000
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["/opt/sluice/java/bin/java", "-XX:TieredStopAtLevel=1", "-cp", "/opt/sluice/lib/*", "dev.sluice.boot.Main", "health"]
ENTRYPOINT ["/opt/sluice/java/bin/java", "@/opt/sluice/lib/java.options", "dev.sluice.boot.Main"]
CMD ["serve", "--models", "/models", "--listen", "0.0.0.0:8080"]
