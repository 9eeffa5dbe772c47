// Stands in for the modules of React Native that the Expo SDK imports. In a browser, the SDK uses only these functions.

// Module `react-native`.
export const Platform = { OS: 'web' }

// Module `expo-auth-session`. In a browser, the redirect URI is a path of the app's origin.
export const makeRedirectUri = ({ path }) => `${location.origin}/${path}`
export const ResponseType = { Code: 'code' }

// The SDK opens the returned prompt only in native apps.
export const useAuthRequest = () => [null, null, null]

// Module `expo-secure-store`: the SDK uses `localStorage` in a browser.
