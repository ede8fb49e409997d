"use strict";

// Shows the document that the query names, or the first.
(async () => {
  const answer = await fetch("openapi", { headers: { accept: "application/json" } });
  const { documents, console } = await answer.json();
  document.getElementById("console").hidden = !console;
  const wanted = new URLSearchParams(location.search).get("document");
  const shown = documents.find((one) => one.name === wanted) ?? documents[0];
  const nav = document.getElementById("documents");
  for (const one of documents) {
    const link = document.createElement("a");
    link.href = "?document=" + encodeURIComponent(one.name);
    link.textContent = one.title;
    if (one === shown) {
      link.setAttribute("aria-current", "page");
    }
    nav.append(link);
  }
  // A document names its server by a relative address, which stays right behind a proxy; people read the whole one.
  const absolute = (url) => new URL(url, new URL("openapi/", location.href)).href.replace(/\/$/, "");
  const withAddresses = (text) => {
    const json = JSON.parse(text);
    const servers = json.servers.map(({ url, ...rest }) => ({ ...rest, url: absolute(url) }));
    return JSON.stringify({ ...json, servers });
  };
  const addresses = () => ({
    statePlugins: { spec: { wrapActions: { updateSpec: (original) => (text) => original(text && withAddresses(text)) } } },
  });
  SwaggerUIBundle({
    url: "openapi/" + shown.name + ".json",
    dom_id: "#document",
    deepLinking: true,
    docExpansion: "none",
    filter: true,
    validatorUrl: null,
    plugins: [addresses],
  });
})();
