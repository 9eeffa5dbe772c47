//! The people who are signed in to a web app.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http::header::{COOKIE, HeaderMap, HeaderValue, LOCATION, SET_COOKIE};
use http::{Response, StatusCode};
use lru::LruCache;

use super::pending::{NOT_BEGUN, failed};
use super::{PendingSignIn, SignIn, SignInSession};
use crate::debug::opaque;
use crate::{Client, Credential, Error, retry};

/// Maximum number of sign-ins that have begun. Anyone can begin one: beyond it, the oldest one has to begin again.
const MAX_STARTED: usize = 20_000;
/// Maximum number of people who are signed in. The one who was not active for the longest time has to sign in again.
const MAX_SIGNED_IN: usize = 50_000;

impl SignIn {
    /// Returns the sessions of a web app: an object for the whole program.
    pub fn web(self) -> WebSignIn {
        let (started, signed_in) = (Mutex::new(LruCache::unbounded()), Mutex::new(LruCache::unbounded()));
        WebSignIn { sign_in: self, started, signed_in }
    }
}

/// The people who are signed in to a web app, in the memory of this process: [`SignIn::web`]. It fits any web framework: each
/// browser has a cookie, and the tokens stay on the server. The types of headers and responses are those of the crate `http`,
/// which axum and others use.
pub struct WebSignIn {
    sign_in: SignIn,
    /// At most [`MAX_STARTED`], which expire. Apart from the people who are signed in, so that nobody signs them out by
    /// beginning many sign-ins.
    started: Browsers<PendingSignIn>,
    /// At most [`MAX_SIGNED_IN`].
    signed_in: Browsers<Arc<SignInSession>>,
}

/// What is kept for browsers, by the value of the cookie. The one that was used last is the first.
type Browsers<T> = Mutex<LruCache<String, T>>;

impl WebSignIn {
    /// Begins a sign-in, and redirects the browser to the page of the service.
    pub fn start(&self) -> Response<String> {
        let started = self.sign_in.start();
        redirect(&started.url, &self.begin(started.pending))
    }

    /// Completes a sign-in, and redirects the browser to a page of the app. `callback` is the URL with which the browser
    /// returned, or its query.
    ///
    /// # Errors
    ///
    /// Those of [`SignIn::complete`].
    pub async fn complete(&self, headers: &HeaderMap, callback: &str, page: &str) -> Result<Response<String>, Error> {
        let Some(pending) = self.remove(&self.started, headers) else {
            return Err(failed(NOT_BEGUN));
        };
        let tokens = self.sign_in.complete(callback, pending).await?;
        let session = Arc::new(self.sign_in.session(tokens));
        // Another cookie than before, so that one that someone else has set does not become a session.
        Ok(redirect(page, &self.insert(&mut lock(&self.signed_in), MAX_SIGNED_IN, session)))
    }

    /// Returns the session of the browser, or `None` if nobody is signed in.
    pub fn session(&self, headers: &HeaderMap) -> Option<Arc<SignInSession>> {
        let id = self.id_in(headers)?;
        lock(&self.signed_in).get(id).cloned()
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
        if let Some(session) = self.remove(&self.signed_in, headers) {
            session.sign_out().await?;
            tokens = Some(session.tokens());
        }
        let location = self.sign_in.sign_out_url(tokens.as_deref(), return_to);
        Ok(redirect(&location, &format!("{}; Max-Age=0", self.cookie_of(""))))
    }

    /// Remembers a sign-in that has begun. Returns the cookie of the browser.
    fn begin(&self, pending: PendingSignIn) -> String {
        let mut started = lock(&self.started);
        // The oldest ones are the last.
        while started.peek_lru().is_some_and(|(_, oldest)| oldest.is_expired()) {
            started.pop_lru();
        }
        self.insert(&mut started, MAX_STARTED, pending)
    }

    /// Keeps something for a browser. Returns its cookie.
    fn insert<T>(&self, browsers: &mut LruCache<String, T>, max: usize, kept: T) -> String {
        let id = retry::random_id().to_string();
        let cookie = self.cookie_of(&id);
        if browsers.len() >= max {
            browsers.pop_lru();
        }
        browsers.put(id, kept);
        cookie
    }

    fn remove<T>(&self, browsers: &Browsers<T>, headers: &HeaderMap) -> Option<T> {
        let id = self.id_in(headers)?;
        lock(browsers).pop(id)
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

fn lock<T>(browsers: &Browsers<T>) -> MutexGuard<'_, LruCache<String, T>> {
    browsers.lock().unwrap_or_else(PoisonError::into_inner)
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

opaque!(WebSignIn, |web| started = lock(&web.started).len(), signed_in = lock(&web.signed_in).len());

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

    fn a_session(web: &WebSignIn) -> Arc<SignInSession> {
        let response = serde_json::json!({
            "access_token": "a", "token_type": "Bearer", "expires_in": 900, "scope": "openid",
        });
        let tokens = SignInTokens::new(serde_json::from_value(response).unwrap(), None);
        Arc::new(web.sign_in.session(tokens))
    }

    /// Keeps the session for a new browser. Returns its cookie.
    fn sign_in(web: &WebSignIn, session: &Arc<SignInSession>) -> String {
        web.insert(&mut lock(&web.signed_in), MAX_SIGNED_IN, session.clone())
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
        assert!(web.client(&headers).is_none() && lock(&web.started).len() == 1);
        assert!(web.complete(&headers, "error=access_denied", "/").await.is_err());
        assert!(lock(&web.started).is_empty());
        // A link to the page that completes a sign-in does not sign out.
        let signed_in = with_cookie(&sign_in(&web, &a_session(&web)));
        assert!(web.complete(&signed_in, "code=c&state=s", "/").await.is_err() && web.client(&signed_in).is_some());
    }

    #[test]
    fn sign_ins_that_strangers_begin_end_no_session() {
        let web = web("http://localhost:3000/callback");
        let signed_in = with_cookie(&sign_in(&web, &a_session(&web)));
        let pending = PendingSignIn::new();
        for _ in 0..=MAX_STARTED.max(MAX_SIGNED_IN) {
            web.begin(pending.clone());
        }
        assert!(web.client(&signed_in).is_some() && lock(&web.started).len() == MAX_STARTED);
    }

    #[test]
    fn sign_ins_that_took_too_long_are_forgotten() {
        let web = web("http://localhost:3000/callback");
        let stored = serde_json::json!({"state": "s", "nonce": "n", "verifier": "v", "started_at": 0});
        let expired: PendingSignIn = serde_json::from_value(stored).unwrap();
        for _ in 0..3 {
            lock(&web.started).put(retry::random_id().to_string(), expired.clone());
        }
        web.start();
        assert_eq!(lock(&web.started).len(), 1);
    }

    #[test]
    fn the_one_who_was_not_active_for_the_longest_time_makes_room() {
        let web = web("http://localhost:3000/callback");
        let session = a_session(&web);
        let (first, second) = (with_cookie(&sign_in(&web, &session)), with_cookie(&sign_in(&web, &session)));
        for _ in 2..MAX_SIGNED_IN {
            sign_in(&web, &session);
        }
        assert!(web.client(&first).is_some());
        let last = with_cookie(&sign_in(&web, &session));
        assert_eq!([first, second, last].map(|headers| web.client(&headers).is_some()), [true, false, true]);
        assert_eq!(lock(&web.signed_in).len(), MAX_SIGNED_IN);
    }
}
