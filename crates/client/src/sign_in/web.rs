//! The people who are signed in to a web app.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http::header::{COOKIE, HeaderMap, HeaderValue, LOCATION, SET_COOKIE};
use http::{Response, StatusCode};

use super::{PendingSignIn, SignIn, SignInSession};
use crate::sign_in::tokens::now;
use crate::{Client, Credential, Error, retry};

/// Maximum number of browsers. The one that was not used for the longest time has to sign in again.
const MAX_BROWSERS: usize = 50_000;

impl SignIn {
    /// Returns the sessions of a web app: an object for the whole program.
    pub fn web(self) -> WebSignIn {
        WebSignIn { sign_in: self, browsers: Mutex::default() }
    }
}

/// The people who are signed in to a web app, in the memory of this process: [`SignIn::web`]. It fits any web framework: each
/// browser has a cookie, and the tokens stay on the server. The types of headers and responses are those of the crate `http`,
/// which axum and others use.
pub struct WebSignIn {
    sign_in: SignIn,
    /// By the value of the cookie. At most [`MAX_BROWSERS`].
    browsers: Mutex<HashMap<String, Browser>>,
}

struct Browser {
    state: State,
    last_used: i64,
}

enum State {
    Started(PendingSignIn),
    SignedIn(Arc<SignInSession>),
}

impl WebSignIn {
    /// Begins a sign-in, and redirects the browser to the page of the service.
    pub fn start(&self) -> Response<String> {
        let started = self.sign_in.start();
        redirect(&started.url, &self.insert(State::Started(started.pending)))
    }

    /// Completes a sign-in, and redirects the browser to a page of the app. `callback` is the URL with which the browser
    /// returned, or its query.
    ///
    /// # Errors
    ///
    /// Those of [`SignIn::complete`].
    pub async fn complete(&self, headers: &HeaderMap, callback: &str, page: &str) -> Result<Response<String>, Error> {
        let Some(State::Started(pending)) = self.remove(headers) else {
            let message = "This sign-in did not begin in this browser, or is already complete. Sign in again.";
            return Err(Error::SignInFailed { code: "sign_in_failed".to_owned(), message: message.to_owned() });
        };
        let tokens = self.sign_in.complete(callback, pending).await?;
        let session = Arc::new(self.sign_in.session(tokens));
        // Another cookie than before, so that one that someone else has set does not become a session.
        Ok(redirect(page, &self.insert(State::SignedIn(session))))
    }

    /// Returns the session of the browser, or `None` if nobody is signed in.
    pub fn session(&self, headers: &HeaderMap) -> Option<Arc<SignInSession>> {
        let id = self.id_in(headers)?;
        let mut browsers = self.browsers();
        let browser = browsers.get_mut(id)?;
        browser.last_used = now();
        match &browser.state {
            State::SignedIn(session) => Some(session.clone()),
            State::Started(_) => None,
        }
    }

    /// Returns a client that acts for the person, or `None` if nobody is signed in.
    pub fn client(&self, headers: &HeaderMap) -> Option<Client> {
        let session = self.session(headers)?;
        Some(self.sign_in.client.with_credential(Credential::Source(session)))
    }

    /// Ends the sign-in, and redirects the browser to the page that ends it at the service, too. `return_to` is a URL that is
    /// registered in the settings of the project.
    ///
    /// # Errors
    ///
    /// Errors of the transport.
    pub async fn sign_out(&self, headers: &HeaderMap, return_to: Option<&str>) -> Result<Response<String>, Error> {
        let mut tokens = None;
        if let Some(State::SignedIn(session)) = self.remove(headers) {
            session.sign_out().await?;
            tokens = Some(session.tokens());
        }
        let location = self.sign_in.sign_out_url(tokens.as_deref(), return_to);
        Ok(redirect(&location, &format!("{}; Max-Age=0", self.cookie_of(""))))
    }

    /// Remembers a browser. Returns its cookie.
    fn insert(&self, state: State) -> String {
        let id = retry::random_id().to_string();
        let cookie = self.cookie_of(&id);
        let mut browsers = self.browsers();
        if browsers.len() >= MAX_BROWSERS {
            let oldest = browsers.iter().min_by_key(|(_, browser)| browser.last_used).map(|(id, _)| id.clone());
            oldest.and_then(|id| browsers.remove(&id));
        }
        browsers.insert(id, Browser { state, last_used: now() });
        cookie
    }

    fn remove(&self, headers: &HeaderMap) -> Option<State> {
        let id = self.id_in(headers)?;
        self.browsers().remove(id).map(|browser| browser.state)
    }

    fn browsers(&self) -> MutexGuard<'_, HashMap<String, Browser>> {
        self.browsers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the name of the cookie. With the prefix, no other host can set it (RFC 6265bis §4.1.3.2).
    fn name(&self) -> &'static str {
        if self.is_secure() { "__Host-session" } else { "session" }
    }

    fn is_secure(&self) -> bool {
        self.sign_in.redirect_uri.starts_with("https:")
    }

    fn cookie_of(&self, id: &str) -> String {
        let secure = if self.is_secure() { "; Secure" } else { "" };
        format!("{}={id}; Path=/; HttpOnly; SameSite=Lax{secure}", self.name())
    }

    fn id_in<'a>(&self, headers: &'a HeaderMap) -> Option<&'a str> {
        let cookies = headers.get_all(COOKIE).into_iter().filter_map(|value| value.to_str().ok());
        let mut pairs = cookies.flat_map(|cookies| cookies.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.find(|(name, _)| *name == self.name()).map(|(_, id)| id)
    }
}

/// Returns a redirect that sets the cookie.
fn redirect(location: &str, cookie: &str) -> Response<String> {
    let mut response = Response::new(String::new());
    *response.status_mut() = StatusCode::SEE_OTHER;
    for (name, value) in [(LOCATION, location), (SET_COOKIE, cookie)] {
        // Both consist of characters that are valid: those of a URL, and of a UUID.
        if let Ok(value) = HeaderValue::from_str(value) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

impl fmt::Debug for WebSignIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebSignIn").field("browsers", &self.browsers().len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sign_in::SignInTokens;

    fn web(redirect_uri: &str) -> WebSignIn {
        Client::builder("http://127.0.0.1:9").build().unwrap().sign_in("p", redirect_uri).web()
    }

    fn header<'a>(response: &'a Response<String>, name: &str) -> &'a str {
        response.headers()[name].to_str().unwrap()
    }

    /// The headers of the next request after this cookie was set.
    fn with_cookie(set_cookie: &str) -> HeaderMap {
        let pair = set_cookie.split(';').next().unwrap();
        HeaderMap::from_iter([(COOKIE, HeaderValue::from_str(&format!("theme=dark; {pair}")).unwrap())])
    }

    #[test]
    fn a_cookie_belongs_to_one_host_and_is_not_for_scripts() {
        let started = web("https://app.example.com/callback").start();
        let (cookie, location) = (header(&started, "set-cookie"), header(&started, "location"));
        assert!(cookie.starts_with("__Host-session="), "{cookie}");
        assert!(cookie.ends_with("; Path=/; HttpOnly; SameSite=Lax; Secure"), "{cookie}");
        assert!(started.status() == 303 && location.starts_with("http://127.0.0.1:9/auth/authorize?"), "{location}");
    }

    #[tokio::test]
    async fn a_sign_in_is_completed_once_and_in_its_browser() {
        let web = web("http://localhost:3000/callback");
        let started = web.start();
        for cookie in ["", "session=", "session=other", &header(&started, "set-cookie").replace("session", "other")] {
            let error = web.complete(&with_cookie(cookie), "code=c&state=s", "/").await.unwrap_err();
            assert!(matches!(error, Error::SignInFailed { .. }), "{cookie}: {error:?}");
        }
        let headers = with_cookie(header(&started, "set-cookie"));
        assert!(web.client(&headers).is_none() && web.browsers().len() == 1);
        assert!(web.complete(&headers, "error=access_denied", "/").await.is_err());
        assert!(web.browsers().is_empty());
    }

    #[test]
    fn the_number_of_browsers_is_bounded() {
        let web = web("http://localhost:3000/callback");
        let response = serde_json::json!({
            "access_token": "a", "token_type": "Bearer", "expires_in": 900, "scope": "openid",
        });
        let tokens = SignInTokens::new(serde_json::from_value(response).unwrap(), None);
        let session = Arc::new(web.sign_in.session(tokens));
        let first = web.insert(State::SignedIn(session.clone()));
        for browser in web.browsers().values_mut() {
            browser.last_used -= 1;
        }
        for _ in 1..MAX_BROWSERS {
            web.insert(State::SignedIn(session.clone()));
        }
        let first = with_cookie(&first);
        let id = web.id_in(&first).unwrap();
        assert!(web.browsers().contains_key(id));
        let last = web.insert(State::SignedIn(session));
        assert!(!web.browsers().contains_key(id) && web.client(&with_cookie(&last)).is_some());
        assert_eq!(web.browsers().len(), MAX_BROWSERS);
    }
}
