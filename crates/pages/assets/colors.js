// A picker beside each color, and a preview of both. Without it, colors are entered as text, and the preview shows those that
// were saved.
(function () {
  "use strict";

  const COLOR = /^#[0-9a-f]{6}$/i;

  const fieldOf = function (target) {
    if (!(target instanceof HTMLInputElement)) return null;
    if (target.dataset.picks) return document.getElementById(target.dataset.picks);
    return "color" in target.dataset ? target : null;
  };

  document.addEventListener("input", function (event) {
    const field = fieldOf(event.target);
    if (!field) return;
    if (field !== event.target) field.value = event.target.value;
    else if (COLOR.test(field.value)) document.querySelector('[data-picks="' + field.id + '"]').value = field.value;
  });

  document.addEventListener("change", function (event) {
    const field = fieldOf(event.target);
    if (!field) return;
    const colors = [...field.form.querySelectorAll("[data-color]")].map(function (one) {
      return one.value.trim();
    });
    const isValid = colors.every(function (color) {
      return !color || COLOR.test(color);
    });
    const query = new URLSearchParams({ accent: colors[0], background: colors[1] });
    if (isValid) field.form.querySelector(".preview").src = "/auth/colors.svg?" + query;
  });
})();
