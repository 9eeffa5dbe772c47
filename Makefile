# Two commands are enough: `make run` and `make test`.

.PHONY: help run test bench hostile check openapi clean

run: ## Start the service on SQLite
	cargo run --release -p steward

# The black-box tests start the binary beside them, so it is built first.
test: ## Run all tests, on both databases
	tests/install-tools.sh
	cargo build --workspace --bins
	cargo test --workspace --doc
	tests/with-postgres.sh cargo test --workspace --tests --examples

# Each shape of request beside pgbench in the same round, with a PostgreSQL that writes durably. It wants the machine for
# itself; ARGS="--help" lists what can be chosen.
bench: ## Measure requests beside pgbench; ARGS="--help" lists the options
	tests/install-tools.sh
	cargo build --release --workspace --bins
	DURABLE=1 tests/with-postgres.sh cargo bench --workspace --bench load -- $(ARGS)

# What a victim sees beside each load, and 200 kills on each database. It wants the machine for itself; HOSTILE_SECONDS,
# HOSTILE_ROUNDS and HOSTILE_ONLY make it shorter.
hostile: ## Measure what others see beside each kind of load, and 200 kills
	tests/install-tools.sh
	cargo build --release --workspace --bins
	tests/with-postgres.sh cargo test --release --workspace --test hostile -- --ignored --nocapture --test-threads 1

check: ## Check formatting, lints and documentation
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --all-features -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

openapi: ## Write docs/openapi.json
	cargo run -p steward -- openapi > docs/openapi.json

clean: ## Remove what was built
	cargo clean

help: ## List the targets
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12
