// An app that signs users in with go-oidc. Environment variables: ISSUER, CLIENT_ID, PORT.
package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"log"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/coreos/go-oidc"
	"golang.org/x/oauth2"
)

type user struct {
	Name  string `json:"name"`
	Email string `json:"email"`
}

// A session, of which the app has one: of the browser of the test.
type session struct {
	state, nonce string
	user         *user
	token        *oauth2.Token
}

var (
	issuer, clientID, port = os.Getenv("ISSUER"), os.Getenv("CLIENT_ID"), os.Getenv("PORT")
	background             = context.Background()
	current                session
)

func random() string {
	bytes := make([]byte, 16)
	if _, err := rand.Read(bytes); err != nil {
		log.Fatal(err)
	}
	return base64.RawURLEncoding.EncodeToString(bytes)
}

// The user that the ID token and the service describe.
func signedIn(provider *oidc.Provider, token *oauth2.Token, nonce string) (*user, error) {
	raw, ok := token.Extra("id_token").(string)
	if !ok {
		return nil, errors.New("no ID token")
	}
	verified, err := provider.Verifier(&oidc.Config{ClientID: clientID}).Verify(background, raw)
	if err != nil {
		return nil, err
	}
	if verified.Nonce != nonce {
		return nil, errors.New("another nonce")
	}
	if err := verified.VerifyAccessToken(token.AccessToken); err != nil {
		return nil, err
	}
	info, err := provider.UserInfo(background, oauth2.StaticTokenSource(token))
	if err != nil {
		return nil, err
	}
	if info.Subject != verified.Subject {
		return nil, errors.New("another subject")
	}
	var found user
	return &found, info.Claims(&found)
}

func main() {
	provider, err := oidc.NewProvider(background, issuer)
	if err != nil {
		log.Fatal(err)
	}
	config := oauth2.Config{
		ClientID:     clientID,
		ClientSecret: "unused",
		Endpoint:     provider.Endpoint(),
		RedirectURL:  "http://127.0.0.1:" + port + "/callback",
		Scopes:       []string{oidc.ScopeOpenID, "profile", "email"},
	}
	handle := func(path string, handler func(http.ResponseWriter, *http.Request) error) {
		http.HandleFunc(path, func(response http.ResponseWriter, request *http.Request) {
			if err := handler(response, request); err != nil {
				http.Error(response, err.Error(), http.StatusInternalServerError)
			}
		})
	}
	redirect := func(response http.ResponseWriter, request *http.Request, target string) error {
		http.Redirect(response, request, target, http.StatusFound)
		return nil
	}
	handle("/", func(response http.ResponseWriter, _ *http.Request) error {
		_, err := response.Write([]byte("Home"))
		return err
	})
	handle("/login", func(response http.ResponseWriter, request *http.Request) error {
		current = session{state: random(), nonce: random()}
		return redirect(response, request, config.AuthCodeURL(current.state, oidc.Nonce(current.nonce)))
	})
	handle("/callback", func(response http.ResponseWriter, request *http.Request) error {
		if request.FormValue("state") != current.state {
			return errors.New("another state")
		}
		token, err := config.Exchange(background, request.FormValue("code"))
		if err != nil {
			return err
		}
		current.token = token
		if current.user, err = signedIn(provider, token, current.nonce); err != nil {
			return err
		}
		return redirect(response, request, "/")
	})
	handle("/user", func(response http.ResponseWriter, _ *http.Request) error {
		return json.NewEncoder(response).Encode(current.user)
	})
	handle("/refresh", func(response http.ResponseWriter, _ *http.Request) error {
		expired := &oauth2.Token{RefreshToken: current.token.RefreshToken, Expiry: time.Now().Add(-time.Hour)}
		token, err := config.TokenSource(background, expired).Token()
		if err != nil {
			return err
		}
		current.token = token
		return json.NewEncoder(response).Encode(map[string]string{"refresh_token": token.RefreshToken})
	})
	handle("/logout", func(response http.ResponseWriter, request *http.Request) error {
		form := url.Values{"token": {current.token.RefreshToken}, "client_id": {clientID}}
		revoked, err := http.PostForm(issuer+"/auth/revoke", form)
		if err != nil {
			return err
		}
		current = session{}
		revoked.Body.Close()
		return redirect(response, request, "/")
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+port, nil))
}
