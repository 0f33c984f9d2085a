// Keys, the time left to undo, the marks of the words that carried a score, and claims kept while an item is open.
"use strict";

(() => {
  const { base, token } = document.body.dataset;
  const began = Date.now();

  const typing = (element) => element instanceof HTMLElement && element.closest("input:not([type=checkbox]), textarea, select, [contenteditable]") !== null;

  const byKey = (key) => [...document.querySelectorAll("[data-key]")].find((each) => each.dataset.key === key && !each.disabled);

  const labelOf = (element) => {
    const clone = (element.matches("details") ? element.querySelector("summary") : element).cloneNode(true);
    clone.querySelectorAll("kbd").forEach((each) => each.remove());
    return element.labels?.[0]?.firstChild?.textContent.trim() || clone.textContent.trim();
  };

  const help = () => {
    const dialog = document.getElementById("help");
    const list = dialog.querySelector("dl");
    list.replaceChildren();
    for (const each of document.querySelectorAll("[data-key]")) {
      const key = document.createElement("dt");
      const what = document.createElement("dd");
      key.append(Object.assign(document.createElement("kbd"), { textContent: each.dataset.key }));
      what.textContent = labelOf(each);
      list.append(key, what);
    }
    dialog.showModal();
  };

  const press = (element) => {
    if (element.hasAttribute("data-help")) return help();
    if (element.matches("details")) {
      element.open = true;
      return element.querySelector("select, input, button").focus();
    }
    if (element.matches("input, select, textarea")) return element.focus();
    return element.click();
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.repeat) return;
    if (event.key === "Escape" && typing(event.target)) return event.target.blur();
    if (typing(event.target) || document.querySelector("dialog[open]")) return;
    if (event.key === "?") {
      event.preventDefault();
      return help();
    }
    const found = byKey(event.key);
    if (found) {
      event.preventDefault();
      press(found);
    }
  });

  document.querySelectorAll("[data-help]").forEach((each) => each.addEventListener("click", help));

  document.querySelectorAll("form[data-confirm]").forEach((form) => {
    form.addEventListener("submit", (event) => {
      if (!window.confirm(form.dataset.confirm)) event.preventDefault();
    });
  });

  // A form that was sent is not sent again by a second press of its key.
  document.querySelectorAll("form[method=post]").forEach((form) => {
    form.addEventListener("submit", (event) => {
      if (event.defaultPrevented) return;
      if (form.dataset.sent) return event.preventDefault();
      form.dataset.sent = "yes";
    });
  });
  window.addEventListener("pageshow", () => {
    document.querySelectorAll("form[data-sent]").forEach((form) => delete form.dataset.sent);
  });

  document.querySelectorAll("[data-select-all]").forEach((all) => {
    all.addEventListener("change", () => {
      all.form.querySelectorAll("[name=itemIds]").forEach((each) => { each.checked = all.checked; });
    });
  });

  document.querySelectorAll("form.decide").forEach((form) => {
    form.addEventListener("submit", () => {
      const spent = form.querySelector("[data-spent]");
      if (spent) spent.value = String(Date.now() - began);
    });
  });

  const undo = document.querySelector("[data-undo]");
  if (undo) {
    const until = began + Number(undo.dataset.undo);
    const seconds = undo.querySelector("[data-seconds]");
    const tick = () => {
      const left = Math.ceil((until - Date.now()) / 1000);
      if (left <= 0) return undo.remove();
      seconds.textContent = String(left);
      setTimeout(tick, 250);
    };
    tick();
  }

  const percent = (share) => (Number.isFinite(share) ? `${Math.round(100 * share)} %` : "–");

  document.querySelectorAll("[data-samples]").forEach((policy) => {
    const samples = JSON.parse(policy.dataset.samples);
    const range = policy.querySelector("input[type=range]");
    const wrong = samples.filter(([, isWrong]) => isWrong).length;
    range.addEventListener("input", () => {
      const threshold = Number(range.value);
      const flagged = samples.filter(([probability]) => probability >= threshold);
      const right = flagged.filter(([, isWrong]) => isWrong).length;
      const told = `flags ${flagged.length}, precision ${percent(right / flagged.length)}, recall ${percent(right / wrong)}`;
      policy.querySelector("[data-then]").textContent = `Then, at ${threshold}: ${told}.`;
      for (const end of ["x1", "x2"]) policy.querySelector(".tried").setAttribute(end, String(400 * threshold));
    });
  });

  const article = document.querySelector("[data-found]");
  const item = document.querySelector("[data-claim]");

  const mark = async () => {
    if (!article || !article.dataset.found) return;
    const answer = await fetch(article.dataset.found);
    if (!answer.ok) return;
    const found = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("content");
    if (found) article.querySelector("#content").replaceWith(document.importNode(found, true));
    article.dataset.marked = "yes";
  };

  const prepare = async () => {
    if (item?.dataset.next) await fetch(item.dataset.next);
  };

  const renew = () => {
    fetch(item.dataset.claim, { method: "POST", headers: { "X-Seemly-Token": token } });
  };

  mark().then(prepare).catch(() => {});
  if (item?.dataset.pending === "yes") setInterval(renew, 60_000);
})();
