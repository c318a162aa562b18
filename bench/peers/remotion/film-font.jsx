/** The font of the films, under a name that no renderer puts another in the place of. */
export function FilmFont() {
  return (
    <style>{`
      @font-face { font-family: Film; src: local("DejaVu Sans"), local("Liberation Sans") }
      @font-face { font-family: Film; font-weight: bold;
        src: local("DejaVu Sans Bold"), local("Liberation Sans Bold") }
    `}</style>
  );
}
