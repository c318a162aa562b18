/// <reference lib="dom" />
/** Draws the API reference in the browser, with Redoc in the colours of the other pages. */

interface Redoc {
  init(
    document: string,
    options: object,
    place: Element | null,
    done: (error?: Error) => void,
  ): void;
}

declare const Redoc: Redoc;

const tokens = getComputedStyle(document.documentElement);
/** Redoc computes shades from colours, so it needs their values instead of variables. */
const color = (name: string): string => tokens.getPropertyValue(`--${name}`).trim();
const families = { sans: color("sans"), mono: color("mono") };

const theme = {
  colors: {
    primary: { main: color("accent") },
    success: { main: color("good") },
    warning: { main: color("warn") },
    error: { main: color("bad") },
    text: { primary: color("ink"), secondary: color("quiet") },
    border: { dark: color("line-strong"), light: color("line") },
    gray: { 50: color("sunken"), 100: color("line") },
    http: { get: color("arc"), post: color("accent"), delete: color("bad"), patch: color("warn") },
  },
  schema: { nestedBackground: color("sunken"), linesColor: color("line-strong") },
  sidebar: {
    backgroundColor: color("card"),
    textColor: color("ink"),
    activeTextColor: color("accent"),
  },
  rightPanel: { backgroundColor: "#1b1918", textColor: "#f2efea" },
  codeBlock: { backgroundColor: "#0e0d0c" },
  typography: {
    fontFamily: families.sans,
    headings: { fontFamily: families.sans, fontWeight: "650" },
    code: { fontFamily: families.mono, color: color("accent"), backgroundColor: color("sunken") },
    links: { color: color("accent"), visited: color("accent"), hover: color("accent-strong") },
  },
};

const options = { theme, hideDownloadButton: true, disableSearch: false, nativeScrollbars: true };
Redoc.init("/v1/openapi.json", options, document.querySelector("#reference"), (error) => {
  if (error !== undefined) throw error;
});
