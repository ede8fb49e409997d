# Everything a person does with the project. Each line needs only a JDK 25 and Maven.

MVN := mvn --batch-mode --no-transfer-progress
JAVA25 := $(shell sh src/build/find-java25.sh)

.PHONY: native check run test coverage build runtime image debian-bases image-test reproducible fmt pages docs conformance openapi embeddings embeddings-peer drain fleet loadtest bench stress fuzz measure-class-path clean java25

# A machine without a browser leaves out the tests that need one; under CI these fail instead.
BROWSER := $(shell command -v chromium || command -v chromium-browser || command -v google-chrome)
EXCLUDED := $(if $(BROWSER)$(filter true,$(CI)),,-DexcludedGroups=browser)

# FLAVOUR=onnx leaves TensorFlow out of the distribution, which then lies in target/sluice-onnx.
ifneq ($(filter-out onnx tensorflow,$(FLAVOUR)),)
$(error FLAVOUR is '$(FLAVOUR)'; wanted onnx or tensorflow)
endif
DIST := target/sluice$(if $(filter onnx,$(FLAVOUR)),-onnx)$(if $(PLATFORM),-$(PLATFORM))

# PLATFORM=linux-arm64 builds for that platform on the other, in a folder of its own.
ifneq ($(filter-out linux-x86_64 linux-arm64,$(PLATFORM)),)
$(error PLATFORM is '$(PLATFORM)'; wanted linux-x86_64 or linux-arm64)
endif
CROSS := $(if $(PLATFORM),-P '$(PLATFORM)$(foreach other,$(filter-out $(PLATFORM),linux-x86_64 linux-arm64),,!$(other))' -Ddist.dir=$(CURDIR)/$(DIST))

# How the load test and the benchmarks are started, on what the build left in target.
MEASURE = JAVA_HOME=$(JAVA25) $(JAVA25)/bin/java --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow \
	-Dsluice.native.dir=target/sluice/lib/native -Dstdout.encoding=UTF-8 \
	--class-path target/test-classes:target/classes:$$(cat target/test-class-path)

## Builds, and runs the unit tests, the package rules, the formatter's check and the static checks: what a change is tried with.
check: java25
	$(MVN) test -Dtest='*Test'

## Builds, then serves the sample models on http://localhost:8080.
run: native build
	$(DIST)/bin/sluice serve --models $(DIST)/models

## Builds and runs every test, the package rules, the formatter's check and the static checks.
test: java25
	@test -z "$(EXCLUDED)" || echo "No chromium, chromium-browser or google-chrome on the PATH: the tests tagged browser are left out."
	$(MVN) verify $(EXCLUDED)

## Runs every test, or TEST='Tensor*Test,V1*IT', and notes which lines of the server were run: target/site/jacoco/index.html. What tests
## start as a process of its own is not noted.
coverage: java25
	$(MVN) verify -Pcoverage $(EXCLUDED) $(if $(TEST),-Dtest='$(TEST)')
	@sh src/build/coverage.sh target/site/jacoco/jacoco.csv

## Leaves a distribution in target/sluice, or without TensorFlow (FLAVOUR=onnx) in target/sluice-onnx: the same bytes for the same
## commit, so without an AOT cache. PLATFORM=linux-arm64 or linux-x86_64 builds for another machine than this one.
build: java25
	$(MVN) --quiet package -DskipTests $(CROSS) $(if $(FLAVOUR),-Dflavour=$(FLAVOUR))

## Adds a Java run-time of 50 MB to the distribution, in its folder java; MODULES=java.sql,java.desktop adds modules for plugins.
runtime: native build
	sh src/build/runtime.sh $(JAVA25) $(DIST) $(MODULES)

## Makes the container image sluice, or sluice-onnx, with docker, podman or buildah; REPOSITORY=registry.example/sluice names it.
## BASES=debian makes the images that it begins with too, where no registry of images can be reached; IMAGE_FLAGS are the builder's.
## The format of docker, since that of OCI has no health checks.
BUILDER := $(notdir $(shell docker info >/dev/null 2>&1 && echo docker || command -v podman || command -v buildah || echo docker))
REPOSITORY := sluice
TAG := $(shell sed -n 's/^  <version>\(.*\)<.*/\1/p' pom.xml)$(if $(filter onnx,$(FLAVOUR)),-onnx)
image: $(if $(BASES),$(BASES)-bases)
	$(BUILDER) build $(if $(filter-out docker,$(BUILDER)),--format docker) --tag $(REPOSITORY):$(TAG) $(if $(FLAVOUR),--build-arg FLAVOUR=$(FLAVOUR)) $(if $(MODULES),--build-arg MODULES=$(MODULES)) \
		$(if $(BASES),--build-arg JDK=localhost/sluice-jdk --build-arg BASE=localhost/sluice-base) \
		--label org.opencontainers.image.version=$(TAG) --label org.opencontainers.image.revision=$$(git rev-parse HEAD) $(IMAGE_FLAGS) .

debian-bases: java25
	sh src/build/image-bases.sh $(JAVA25)

## Unpacks the image, starts it as an unprivileged user on a read-only root file system, asks it by every protocol and stops it (root,
## buildah, crun, Python 3).
image-test:
	python3 src/test/python/image.py $(REPOSITORY):$(TAG)

## Builds the commit that is checked out twice, in two folders, and compares every byte: about 5 minutes; of one FLAVOUR.
reproducible: java25
	sh src/build/reproducible.sh $(DIST)

## Formats every Java file.
fmt: java25
	$(MVN) --quiet validate -Dfix

## Writes the pages that are made from the code: settings, endpoints, metrics, error codes, and the comments of conf/sluice.yml.
pages: java25
	WRITE_PAGES=1 $(MVN) --quiet test -Dtest='*PagesTest,*PagesIT'

## Builds the documentation as a site in target/site (Python 3); a link that leads nowhere ends it.
docs: target/docs-venv/.done
	NO_MKDOCS_2_WARNING=1 target/docs-venv/bin/mkdocs build --strict --config-file src/build/mkdocs.yml

target/docs-venv/.done: src/build/docs-requirements.txt
	python3 -m venv target/docs-venv
	target/docs-venv/bin/pip install --quiet --disable-pip-version-check --requirement src/build/docs-requirements.txt
	touch $@

## Has the real clients of each protocol ask the distribution: installs them below target/conformance-venv (Python 3, npm,
## go and mvn; about 6 GB). CLIENTS="kserve triton" chooses some. Exit code 3: none failed, but one could not be installed.
conformance: build
	JAVA_HOME=$(JAVA25) python3 src/test/python/conformance.py $(CLIENTS)

## Has openapi-spec-validator and schemathesis judge a running server by its API documents (Python 3): URL=http://localhost:8080, and
## MODELS="addsub language" for some models alone. A test asks a sample model so.
URL := http://localhost:8080
openapi: target/openapi-venv/installed
	target/openapi-venv/bin/python src/test/python/openapi.py $(URL) $(MODELS)

target/openapi-venv/installed: src/test/python/openapi-requirements.txt
	python3 -m venv target/openapi-venv
	target/openapi-venv/bin/pip install --quiet --disable-pip-version-check --requirement $<
	cp $< $@

## Compares a running server's tokens and vectors of texts with those of tokenizers and ONNX Runtime in Python: URL=http://localhost:8080, MODEL=folder of the
## text encoder, whose name is the model's, TEXTS=10000 how many.
MODEL := models/minilm
embeddings: target/embeddings-venv/installed
	target/embeddings-venv/bin/python src/test/python/embeddings.py compare $(MODEL) $(URL) $(notdir $(MODEL)) $(or $(TEXTS),1000)

target/embeddings-venv/installed: src/test/python/embeddings-requirements.txt
	python3 -m venv target/embeddings-venv
	target/embeddings-venv/bin/pip install --quiet --disable-pip-version-check --requirement $<
	cp $< $@

## Measures how many texts a second the distribution embeds beside servers of PyPI, by turns on the same model: MODEL as above, TEXTS=512 how
## many, PEERS=mosec,txtai which of them. They are installed below target/embeddings-peer-venv (Python 3; about 12 GB). Exit code 1: one
## could not be measured.
embeddings-peer: build target/embeddings-venv/installed
	target/embeddings-venv/bin/python src/test/python/embeddings_peer.py $(MODEL) $(or $(TEXTS),512) $(PEERS)

## Stops the distribution under the load of clients of every protocol, directly and behind Envoy, and counts what they lose:
## installs them below target/drain (Python 3). ROUNDS=30 takes about 40 minutes; MODES and ONLY choose, see the file.
drain: build
	python3 src/test/python/drain.py $(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(MODES),--modes $(MODES)) $(if $(ONLY),--only $(ONLY))

## Shows three servers behind one Envoy: the ways of picking a server compared, and a rolling restart that loses nothing:
## installs Envoy below target/fleet (Python 3). ONLY=picking or ONLY=restart chooses, ROUND=30 says how many seconds each measurement takes.
fleet: build
	JAVA_HOME=$(JAVA25) python3 src/test/python/fleet.py $(if $(ONLY),--only $(ONLY)) $(if $(ROUND),--seconds $(ROUND))

## Measures the distribution against bare servers on loopback: two hours or more, see loadtest/README.md.
## ROWS=v1-json,image chooses rows, ROUND=3s says how long a round takes,
## PROCESSES=3 how many fresh processes of each side are measured, FULL=1 takes the long form,
## SAVE=1 puts the table into loadtest/README.md, AGAINST=folder compares with another distribution alone,
## PEERS=1 with servers of others alone, which are installed below target/loadtest/peers (Python 3; about 1.3 GB; cargo for one of them).
loadtest: build measure-class-path
	$(MEASURE) dev.sluice.loadtest.LoadTest $(if $(ROWS),--rows $(ROWS)) $(if $(ROUND),--round $(ROUND)) $(if $(PROCESSES),--processes $(PROCESSES)) $(if $(FULL),--full) $(if $(SAVE),--save) $(if $(AGAINST),--against $(AGAINST)) $(if $(PEERS),--peers)

## Runs the micro-benchmarks with allocation figures; BENCH=regex chooses some.
bench: build measure-class-path
	ORT_DISABLE_TELEMETRY=1 $(MEASURE) org.openjdk.jmh.Main -prof gc -rf json -rff target/jmh.json $(BENCH)

## Runs the concurrency tests, each millions of times; STRESS=regex chooses some, STRESS_MODE=default or tough takes longer.
stress: build measure-class-path
	mkdir -p target/jcstress && cd target/jcstress && $(JAVA25)/bin/java \
		--class-path $(CURDIR)/target/test-classes:$(CURDIR)/target/classes:$$(cat $(CURDIR)/target/test-class-path) \
		dev.sluice.stress.StressRun -m $(or $(STRESS_MODE),quick) -r report/ $(if $(STRESS),-t $(STRESS))

## Fuzzes every decoder and configuration reader with Jazzer, one after the other: MINUTES=10 for each (1), TARGET=V1Predict,OipInfer
## chooses some. Findings end up in target/fuzz/findings.
fuzz: build
	@$(MVN) --quiet -Pfuzz dependency:build-classpath@test-class-path
	ORT_DISABLE_TELEMETRY=1 $(MEASURE) dev.sluice.fuzz.FuzzRun --minutes $(or $(MINUTES),1) $(if $(TARGET),--target $(TARGET))

measure-class-path: java25
	@$(MVN) --quiet dependency:build-classpath@test-class-path

clean:
	$(MVN) --quiet clean

java25:
	@test -n "$(JAVA25)" || { echo "Sluice needs a JDK 25, and none was found. Install one (https://adoptium.net), or point JAVA_HOME at it." >&2; exit 1; }

# What needs to run what was built.
native:
	@test -z "$(PLATFORM)" || { echo "PLATFORM is for make build: what is for another machine cannot be run here, nor get its Java." >&2; exit 1; }
