# Two commands are enough: `make run` and `make test`.

.PHONY: run test bench hostile check openapi clean

run:
	cargo run --release -p steward

# The black-box tests start the binary beside them, so it is built first.
test:
	tests/install-tools.sh
	cargo build --workspace --bins
	cargo test --workspace --doc
	tests/with-postgres.sh cargo test --workspace --tests --examples

# Each shape of request beside pgbench in the same round, with a PostgreSQL that writes durably. It wants the machine for
# itself; ARGS="--help" lists what can be chosen.
bench:
	tests/install-tools.sh
	cargo build --release --workspace --bins
	DURABLE=1 tests/with-postgres.sh cargo bench --workspace --bench load -- $(ARGS)

# What a victim sees beside each load, and 200 kills on each database. It wants the machine for itself; HOSTILE_SECONDS,
# HOSTILE_ROUNDS and HOSTILE_ONLY make it shorter.
hostile:
	tests/install-tools.sh
	cargo build --release --workspace --bins
	tests/with-postgres.sh cargo test --release --workspace --test hostile -- --ignored --nocapture --test-threads 1

check:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --all-features -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

openapi:
	cargo run -p steward -- openapi > docs/openapi.json

clean:
	cargo clean
