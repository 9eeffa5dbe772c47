"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.isolated = isolated;
/** Calls a function of the app. What it throws is reported as an uncaught error of a page is, and does not stop the SDK. @internal */
function isolated(run, logger) {
    const report = (error) => {
        if (logger)
            logger.error(error);
        else if (typeof document === "undefined" || !globalThis.reportError)
            console.error(error);
        else
            reportError(error);
    };
    try {
        const returned = run();
        // An asynchronous function of the app returns a promise that nobody awaits.
        if (returned instanceof Promise)
            returned.catch(report);
    }
    catch (error) {
        report(error);
    }
}
//# sourceMappingURL=isolated.js.map