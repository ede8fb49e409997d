// Runs before the page is drawn, so that it never flashes in the other theme. A classic script for that reason.
(() => {
  'use strict';
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const KEY = 'sluice-theme';
  const read = () => {
    try { return localStorage.getItem(KEY) || 'auto'; } catch { return 'auto'; }
  };
  let chosen = read();
  const apply = () => {
    const theme = chosen === 'auto' ? (dark.matches ? 'dark' : 'light') : chosen;
    document.documentElement.dataset.theme = theme;
    dispatchEvent(new Event('themechange'));
  };
  dark.addEventListener('change', apply);
  apply();
  addEventListener('DOMContentLoaded', () => {
    const select = document.getElementById('theme');
    select.value = chosen;
    select.addEventListener('change', () => {
      chosen = select.value;
      try { localStorage.setItem(KEY, chosen); } catch { /* A browser that keeps nothing. */ }
      apply();
    });
  });
})();
