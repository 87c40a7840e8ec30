// Opens another address of the app without loading the page again.

/** @param {string} href */
export function go(href) {
  if (href.startsWith("/logout") || href === "/demo") {
    location.href = href;
    return;
  }
  history.pushState({}, "", href);
  dispatchEvent(new PopStateEvent("popstate"));
}
