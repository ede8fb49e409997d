# Everything a person does with the project. Each line needs only a JDK 25 and Maven.

MVN := mvn --batch-mode --no-transfer-progress
JAVA25 := $(shell sh src/build/find-java25.sh)

.PHONY: run test build fmt clean java25

## Builds, then serves the sample models on http://localhost:8080.
run: build
	target/sluice/bin/sluice serve --models target/sluice/models

## Builds and runs every test, the package rules, the formatter's check and the static checks.
test: java25
	$(MVN) verify

## Leaves a distribution in target/sluice.
build: java25
	$(MVN) --quiet package -DskipTests

## Formats every Java file.
fmt: java25
	$(MVN) --quiet validate -Dfix

clean:
	$(MVN) --quiet clean

java25:
	@test -n "$(JAVA25)" || { echo "Sluice needs a JDK 25, and none was found. Install one (https://adoptium.net), or point JAVA_HOME at it." >&2; exit 1; }
