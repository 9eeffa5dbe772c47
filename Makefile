# The main targets are `make run` and `make test`. `make help` lists all of them.

.PHONY: help run test test-clients test-citus bench hostile operations check deny semver generate dist clean

# Only tests may change where AWS-LC takes its randomness from (docs/decisions/0066-quick-tests.md).
run bench hostile operations dist: not-for-tests

.PHONY: not-for-tests
not-for-tests:
	@[ -z "$$AWS_LC_SYS_NO_JITTER_ENTROPY" ] || { echo "Unset AWS_LC_SYS_NO_JITTER_ENTROPY, which is for tests only." >&2; exit 1; }

run: ## Start the service on SQLite
	@[ -e target/quick/steward ] || echo "Compiling Steward for SQLite. The first time takes about 10 minutes on two cores, later starts take seconds."
	cargo run --profile quick -p steward --no-default-features

test: ## Run all tests, on both databases, and check lints and the documentation
	tests/install-tools.sh
	tests/run.sh

test-clients: ## Run the tests with third-party programs and libraries
	tests/install-tools.sh
	SUITES=clients tests/run.sh

test-citus: ## Run the tests of the store and of the service on a Citus cluster of three nodes
	tests/install-tools.sh
	tests/cargo.sh build --workspace --all-features --bins --tests
	tests/with-citus.sh tests/cargo.sh test --workspace --all-features --test store -- contract::postgres
	SUITES=citus tests/run.sh
	tests/with-citus.sh tests/cargo.sh test --workspace --all-features --test http -- postgres

# Measures each kind of request and pgbench in the same round, with durable writes in PostgreSQL. Without ARGS, also measures
# how soon devices get the changes of others. Run it on an idle machine.
bench: ## Measure requests and compare them with pgbench; ARGS="--help" lists the options
	tests/install-tools.sh
	cargo build --release --workspace --bins
	DURABLE=1 tests/with-postgres.sh cargo bench --workspace --bench load -- $(ARGS)
	[ -n "$(ARGS)" ] || DURABLE=1 HOSTILE_SECONDS=10 tests/with-postgres.sh cargo test --release --workspace --test hostile -- \
		--ignored --nocapture --test-threads 1 changes_reach_other_devices

# Measures how each kind of load affects other clients, kills the service 200 times on each database, connects thousands of
# devices, and asserts the exact time limits of outages, with durable writes in PostgreSQL. Run it on an idle machine.
# HOSTILE_SECONDS, HOSTILE_ROUNDS and HOSTILE_ONLY shorten it.
hostile: ## Measure how hostile load and outages affect clients, and kill the service 200 times
	tests/install-tools.sh
	cargo build --release --workspace --bins
	DURABLE=1 tests/with-postgres.sh cargo test --release --workspace --test hostile -- --ignored --nocapture --test-threads 1
	FAULTS_STRICT=1 tests/with-postgres.sh cargo test --release --workspace --test faults -- --nocapture --test-threads 1

# Operates a fleet with HAProxy, Patroni, etcd and PgBouncer (STEWARD_TEST_PGBOUNCER), and moves the clock by months. Prints
# what it measures. `make test` runs a part of it.
operations: export OPERATIONS_LONG = 1
operations: ## Measure how a fleet goes on through restarts, failovers and failures
	tests/install-tools.sh
	cargo build --release --workspace --bins
	FAULTS_STRICT=1 tests/with-postgres.sh cargo test --release --workspace --test faults -- --include-ignored --nocapture \
		--test-threads 1 operations:: fast_motion:: restores:: replicas::

check: ## Check formatting, lints and documentation
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --all-features -- -D warnings
	cargo clippy -p steward-client --all-features -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

deny: ## Check licenses, advisories and sources of the dependencies
	@cargo deny --version > /dev/null 2>&1 || \
		{ echo "cargo-deny is not installed. Install it with: cargo install --locked cargo-deny" >&2; exit 1; }
	cargo deny check

# The latest release, with which the public items of the published crates are compared.
semver: BASELINE ?= $(shell git describe --tags --abbrev=0 --match 'v*' 2> /dev/null)
semver: ## Check that the crates for clients have no breaking changes since the latest release, or BASELINE=<revision>
	@cargo semver-checks --version > /dev/null 2>&1 || \
		{ echo "cargo-semver-checks is not installed. Install it with: cargo install --locked cargo-semver-checks" >&2; exit 1; }
	@[ -n "$(BASELINE)" ] || { echo "There is no release yet. Compare with another revision: make semver BASELINE=main" >&2; exit 1; }
	cargo semver-checks -p steward-api -p steward-client --all-features --baseline-rev $(BASELINE)

# The tests of the HTTP suite that compare files with what the service answers.
GENERATED = access:: console::roles:: snapshots:: error_bodies:: command_line::

# The tests that compare these files write them instead. CI checks that this changes nothing.
generate: export INSTA_UPDATE = always
generate: export STEWARD_UPDATE_GOLDEN = 1
generate: ## Write the files that are generated: the OpenAPI document, what migrations create, snapshots and golden files
	tests/cargo.sh build --workspace --all-features --bins --lib --test http
	tests/with-postgres.sh tests/cargo.sh test --workspace --all-features --lib -- the_file_lists_what_each_migration_creates
	target/debug/steward openapi > docs/openapi.json
	node sdks/typescript/scripts/generate.mjs
	npm ci --prefix sdks/typescript --ignore-scripts --no-audit --no-fund
	npm run build --prefix sdks/typescript
	python3 sdks/python/scripts/generate.py
	tests/cargo.sh test --workspace --all-features --lib -- \
		the_samples_in_rust_are_those_of_the_document the_table_of_the_sdk_is_that_of_the_service
	tests/with-postgres.sh tests/cargo.sh test --workspace --all-features --test http -- $(GENERATED)

# The timestamps in the packages are that of the commit, so that the same commit gives the same packages on the same system.
dist: export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct)
dist: export STEWARD_REVISION ?= $(shell git rev-parse HEAD)
dist: ## Build the packages in target/dist: the binary as tarball, the Debian package and the container image
	cargo build --release --locked -p steward
	packaging/dist.sh target/release/steward target/dist

clean: ## Remove build artifacts
	cargo clean

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14
