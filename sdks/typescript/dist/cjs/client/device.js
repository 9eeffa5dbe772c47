"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Selection = exports.MAX_PENDING = exports.memoryStore = exports.indexedDbStore = exports.Copy = exports.Connection = exports.KnownSchema = void 0;
/** What only live items need. An app without them does not load it. @internal */
var checks_js_1 = require("./checks.js");
Object.defineProperty(exports, "KnownSchema", { enumerable: true, get: function () { return checks_js_1.KnownSchema; } });
var connection_js_1 = require("./connection.js");
Object.defineProperty(exports, "Connection", { enumerable: true, get: function () { return connection_js_1.Connection; } });
var copy_js_1 = require("./copy.js");
Object.defineProperty(exports, "Copy", { enumerable: true, get: function () { return copy_js_1.Copy; } });
var local_store_js_1 = require("./local_store.js");
Object.defineProperty(exports, "indexedDbStore", { enumerable: true, get: function () { return local_store_js_1.indexedDbStore; } });
Object.defineProperty(exports, "memoryStore", { enumerable: true, get: function () { return local_store_js_1.memoryStore; } });
var replica_js_1 = require("./replica.js");
Object.defineProperty(exports, "MAX_PENDING", { enumerable: true, get: function () { return replica_js_1.MAX_PENDING; } });
var selection_js_1 = require("./selection.js");
Object.defineProperty(exports, "Selection", { enumerable: true, get: function () { return selection_js_1.Selection; } });
//# sourceMappingURL=device.js.map