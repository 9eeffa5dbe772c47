# Two commands are enough: `make run` and `make test`.

.PHONY: run test check openapi clean

run:
	cargo run --release -p steward

# The black-box tests start the binary beside them, so it is built first.
test:
	tests/install-tools.sh
	cargo build --workspace --bins
	cargo test --workspace --doc
	tests/with-postgres.sh cargo test --workspace --all-targets

check:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --all-features -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

openapi:
	cargo run -p steward -- openapi > docs/openapi.json

clean:
	cargo clean
