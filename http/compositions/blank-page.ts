/** The blank page with which a new composition of a given size begins. */
const widthOtherwise = 1_920;
const heightOtherwise = 1_080;
const seconds = 5;

export function blankPage(width = widthOtherwise, height = heightOtherwise): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Composition</title>
    <style>
      body { margin: 0; }
      #main { position: relative; width: ${width}px; height: ${height}px; overflow: hidden; }
    </style>
  </head>
  <body>
    <div id="main" data-composition-id="main" data-start="0" data-duration="${seconds}"
      data-width="${width}" data-height="${height}" data-no-timeline></div>
  </body>
</html>
`;
}
