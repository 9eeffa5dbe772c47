export {};
//# sourceMappingURL=sync_options.js.map