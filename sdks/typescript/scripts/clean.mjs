// Deletes the build output, so that it has no files of deleted sources.
import { rmSync } from "node:fs";

rmSync(new URL("../dist", import.meta.url), { recursive: true, force: true });
