// Passkeys: forms with `data-passkey` get the response of an authenticator before they are sent. In browsers that cannot do
// that, they stay hidden, and elements with `data-without-passkeys` say so.
(function () {
  "use strict";

  const isAvailable =
    window.PublicKeyCredential &&
    PublicKeyCredential.parseRequestOptionsFromJSON &&
    PublicKeyCredential.parseCreationOptionsFromJSON &&
    PublicKeyCredential.prototype.toJSON;
  const forms = document.querySelectorAll("form[data-passkey]");
  if (!isAvailable || !forms.length) return;

  // A browser answers one request at a time. The next one ends the one before.
  let pending = new AbortController();
  let isPressed = false;

  const ask = function (form, more) {
    pending.abort();
    pending = new AbortController();
    const options = JSON.parse(form.dataset.options);
    const request = { signal: pending.signal, ...more };
    if (form.dataset.passkey === "create") {
      request.publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
      return navigator.credentials.create(request);
    }
    request.publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
    return navigator.credentials.get(request);
  };

  const send = function (form, credential) {
    // A second response would replace the first one on the device.
    form.querySelector("[type=submit]").disabled = true;
    form.querySelector("[data-response]").value = JSON.stringify(credential);
    form.submit();
  };

  const report = function (form, error) {
    // Another request of this page replaced this one.
    if (error.name === "AbortError") return;
    const message = form.querySelector("[role=alert]");
    message.textContent =
      error.name === "InvalidStateError"
        ? "This device already has a passkey for your account."
        : form.dataset.passkey === "create"
          ? "No passkey was set up. Try again."
          : form.dataset.failed || "No passkey was used. Try again, or choose another way.";
    message.hidden = false;
  };

  // The field of the name offers passkeys, too, until the person chooses another way.
  const offer = function (form) {
    const field = document.querySelector("[autocomplete~=webauthn]");
    if (form.dataset.passkey !== "get" || !field || !PublicKeyCredential.isConditionalMediationAvailable) return;
    PublicKeyCredential.isConditionalMediationAvailable().then(function (isOffered) {
      // The person has pressed the button meanwhile.
      if (!isOffered || isPressed) return;
      ask(form, { mediation: "conditional" }).then(
        function (credential) {
          send(form, credential);
        },
        function () {},
      );
    });
  };

  forms.forEach(function (form) {
    form.hidden = false;
    form.addEventListener("submit", function (event) {
      event.preventDefault();
      isPressed = true;
      form.querySelector("[role=alert]").hidden = true;
      Promise.resolve()
        .then(function () {
          return ask(form, {});
        })
        .then(function (credential) {
          send(form, credential);
        })
        .catch(function (error) {
          isPressed = false;
          report(form, error);
          if (error.name !== "AbortError") offer(form);
        });
    });
    offer(form);
  });
  document.querySelectorAll("[data-without-passkeys]").forEach(function (element) {
    element.hidden = true;
  });

  // The challenge of a page that the browser kept is too old.
  window.addEventListener("pageshow", function (event) {
    if (event.persisted) location.reload();
  });
})();
