// Generated from docs/openapi.json by scripts/generate.mjs. Do not edit.
export {};
//# sourceMappingURL=codes.js.map