/**
 * Families that pages of films may count on, whatever the machine has: packages of open fonts, and
 * for families that are not open those that take the same room (Arimo for Arial, Tinos for Times
 * New Roman, Cousine for Courier New, Gelasio for Georgia).
 */
export interface WebFont {
  readonly package: string;
  /** Style sheets of the font. */
  readonly sheets: readonly string[];
  readonly families: readonly string[];
}

const upright = ["wght"];
const both = ["wght", "wght-italic"];
const four = ["400", "400-italic", "700", "700-italic"];

function variable(
  name: string,
  sheets: readonly string[],
  ...families: readonly string[]
): WebFont {
  return { package: `@fontsource-variable/${name}`, sheets, families };
}

function createFixedFont(
  name: string,
  sheets: readonly string[],
  ...families: readonly string[]
): WebFont {
  return { package: `@fontsource/${name}`, sheets, families };
}

export const webFonts: readonly WebFont[] = [
  variable("arimo", both, "Arial", "Helvetica", "Helvetica Neue", "Liberation Sans", "Arimo"),
  createFixedFont("tinos", four, "Times New Roman", "Times", "Liberation Serif", "Tinos"),
  createFixedFont("cousine", four, "Courier New", "Courier", "Liberation Mono", "Cousine"),
  variable("gelasio", both, "Georgia", "Gelasio"),
  variable("inter", both, "Inter", "Inter Variable"),
  variable("montserrat", both, "Montserrat"),
  variable("roboto", both, "Roboto"),
  variable("open-sans", both, "Open Sans"),
  createFixedFont("lato", ["300", ...four, "900"], "Lato"),
  createFixedFont(
    "poppins",
    ["300", "400", "400-italic", "500", "600", "700", "800", "900"],
    "Poppins",
  ),
  variable("oswald", upright, "Oswald"),
  variable("raleway", both, "Raleway"),
  variable("playfair-display", both, "Playfair Display"),
  variable("merriweather", both, "Merriweather"),
  variable("nunito", both, "Nunito"),
  variable("source-sans-3", both, "Source Sans 3", "Source Sans Pro"),
  variable("work-sans", both, "Work Sans"),
  variable("dm-sans", both, "DM Sans"),
  variable("outfit", upright, "Outfit"),
  variable("space-grotesk", upright, "Space Grotesk"),
  createFixedFont("bebas-neue", ["400"], "Bebas Neue"),
  variable("jetbrains-mono", both, "JetBrains Mono"),
  variable("roboto-mono", both, "Roboto Mono"),
  createFixedFont("anton", ["400"], "Anton"),
];
