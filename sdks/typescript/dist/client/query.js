/** The query of the service for conditions and an order. @internal */
export function parametersOf(where = {}, order) {
    const conditions = {};
    for (const [field, condition] of Object.entries(where)) {
        if (condition !== undefined)
            conditions[field] = operators(condition).map(([name, value]) => text(name, value));
    }
    return { conditions, ...(order !== undefined && { order: [order].flat().join(",") }) };
}
/** The operators of a condition, with their operands. @internal */
export function operators(condition) {
    const all = condition !== null && typeof condition === "object" ? condition : { eq: condition };
    return Object.entries(all).filter(([, value]) => value !== undefined);
}
function text(operator, value) {
    if (operator === "isNull")
        return value ? "is.null" : "not.is.null";
    if (operator !== "in")
        return `${operator}.${value}`;
    return `in.(${value.map((entry) => (typeof entry === "string" ? `"${entry.replace(/["\\]/g, "\\$&")}"` : entry)).join(",")})`;
}
//# sourceMappingURL=query.js.map