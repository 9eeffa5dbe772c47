"use strict";
// Generated from docs/openapi.json by scripts/generate.mjs. Do not edit.
Object.defineProperty(exports, "__esModule", { value: true });
//# sourceMappingURL=models.js.map