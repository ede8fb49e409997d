// Runs before the page is drawn, so that it never flashes in the other theme. The console keeps what was chosen there.
"use strict";

(() => {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const chosen = () => {
    try {
      return localStorage.getItem("sluice-theme") ?? "auto";
    } catch {
      return "auto";
    }
  };
  const apply = () => {
    const theme = chosen();
    document.documentElement.classList.toggle("dark-mode", theme === "auto" ? dark.matches : theme === "dark");
  };
  dark.addEventListener("change", apply);
  apply();
})();
