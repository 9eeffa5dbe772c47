// The system's browser, which the test operates: it finds the page in `signInPage`, and returns the redirect.
export const openAuthSessionAsync = (url, redirectUri) =>
  new Promise((resolve) => {
    globalThis.signInPage = { url, redirectUri, resolve };
  });
