const EVENTS = ["online", "offline", "visibilitychange"];
/** Calls a function when the network is lost, or may have changed. Returns a function that ends this. @internal */
export function watchNetwork(lost, changed) {
    const listener = ({ type }) => {
        if (type === "offline")
            lost();
        else if (type === "online" || !document.hidden)
            changed();
    };
    for (const type of EVENTS)
        globalThis.addEventListener?.(type, listener);
    return () => {
        for (const type of EVENTS)
            globalThis.removeEventListener?.(type, listener);
    };
}
//# sourceMappingURL=network.js.map