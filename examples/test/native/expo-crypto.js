// The functions of expo-crypto that the app uses.
const { crypto } = globalThis;

export const getRandomValues = (array) => crypto.getRandomValues(array);
export const digest = (algorithm, data) => crypto.subtle.digest(algorithm, data);
