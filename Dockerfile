# The distribution that `make build` leaves in target/sluice: docker build -t sluice .
# It runs as any user, and on a read-only root file system if /tmp can be written.
FROM eclipse-temurin:25-jre

COPY target/sluice /opt/sluice
# The cache holds for the Java of this image alone.
RUN ln -s /opt/sluice/bin/sluice /usr/local/bin/sluice && sluice aot-cache

USER 1000:1000
EXPOSE 8080
ENTRYPOINT ["/opt/sluice/bin/sluice"]
CMD ["serve", "--models", "/models", "--listen", "0.0.0.0:8080"]
