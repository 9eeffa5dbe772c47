"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
//# sourceMappingURL=sync_options.js.map