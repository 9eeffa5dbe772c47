/** Options of a sign-in. */
export interface SignInOptions {
    /** Where the service redirects to: a URL that is registered in the settings of the project. By default that of the client. */
    redirectUri?: string;
    /** Scopes, separated by spaces. By default those of the client. */
    scope?: string;
    /** `login` asks for the password again, `create` shows the sign-up page, `none` shows no page. */
    prompt?: "none" | "login" | "consent" | "select_account" | "create";
    /** Email address or username that the page shows. */
    loginHint?: string;
    /** How long ago the person may have signed in, in seconds. */
    maxAge?: number;
    /** Preferred languages of the pages, separated by spaces, such as `de en`. */
    uiLocales?: string;
}
