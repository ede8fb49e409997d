"use strict";

// Shows the document that the query names, or the first.
(async () => {
  const answer = await fetch("openapi", { headers: { accept: "application/json" } });
  const { documents } = await answer.json();
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
  SwaggerUIBundle({
    url: "openapi/" + shown.name + ".json",
    dom_id: "#document",
    deepLinking: true,
    docExpansion: "none",
    filter: true,
    validatorUrl: null,
  });
})();
