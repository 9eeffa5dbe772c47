"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.folded = folded;
const case_folding_js_1 = require("../generated/case_folding.js");
const folds = new Map();
/** Replaces each character by the one that Unicode folds it to, as the service does. Texts that differ only in case become equal. */
function folded(text) {
    if (/^[\0-\x7f]*$/.test(text))
        return text.toLowerCase();
    if (!folds.size) {
        // Each run is the distance of its first character to the one before, what is added to fold it, how many follow, and their distance.
        let character = 0;
        for (const run of case_folding_js_1.FOLDS.split(" ")) {
            const [start, added, more = 0, step = 1] = run.split(",").map((number) => parseInt(number, 36));
            character += start;
            for (let left = more;; left--, character += step) {
                folds.set(String.fromCodePoint(character), String.fromCodePoint(character + added));
                if (!left)
                    break;
            }
        }
    }
    return text.replace(/[^]/gu, (character) => folds.get(character) ?? character);
}
//# sourceMappingURL=case_folding.js.map