// Adds a button to each block of code that copies it, and shows the current page in the navigation. The documentation is
// complete without it.
(function () {
  "use strict";

  document.documentElement.classList.add("scripted");

  const status = document.createElement("p");
  status.className = "unseen";
  status.setAttribute("role", "status");
  document.querySelector("main").append(status);

  const report = function (text) {
    status.textContent = "";
    requestAnimationFrame(function () {
      status.textContent = text;
    });
  };

  const copy = function (button, code) {
    const select = function () {
      getSelection().selectAllChildren(code);
      report("Selected. Copy it with the keyboard.");
    };
    // Without TLS, browsers offer no clipboard.
    if (!navigator.clipboard) {
      select();
      return;
    }
    navigator.clipboard.writeText(code.textContent.trimEnd()).then(function () {
      button.textContent = "Copied";
      report("Copied.");
      setTimeout(function () {
        button.textContent = "Copy";
      }, 2000);
    }, select);
  };

  document.querySelectorAll(".code").forEach(function (block) {
    const code = block.querySelector("code");
    const caption = block.querySelector("figcaption");
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button button-secondary docs-copy";
    button.textContent = "Copy";
    if (caption) button.title = "Copy " + caption.textContent;
    button.addEventListener("click", function () {
      copy(button, code);
    });
    block.append(button);
  });

  const pages = document.getElementById("pages");
  const current = pages.querySelector("[aria-current]");
  if (current) pages.scrollTop = current.offsetTop - pages.clientHeight / 2;
})();
