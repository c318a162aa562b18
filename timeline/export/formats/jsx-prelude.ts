/** Beginning of each build script, in ECMAScript 3, as After Effects runs it. */
export const jsxPrelude = `  var folder = new File($.fileName).parent;
  var missing = [];

  function footage(path, width, height, rate, seconds) {
    var file = new File(folder.fsName + "/" + path);
    if (file.exists) {
      return /** @type {FootageItem} */ (app.project.importFile(new ImportOptions(file)));
    }
    missing[missing.length] = path;
    return app.project.importPlaceholder(path.replace("media/", ""), width, height, rate, seconds);
  }

  function transform(layer, name) {
    return layer.property("ADBE Transform Group").property(name);
  }

  function mark(name, at, seconds) {
    if (comp.markerProperty) {
      var marker = new MarkerValue(name);
      marker.duration = seconds;
      comp.markerProperty.setValueAtTime(at, marker);
    }
  }

  function set(property, value) {
    property.setValue(value);
  }

  function animate(property, times, values) {
    var linear = KeyframeInterpolationType.LINEAR;
    property.setValuesAtTimes(times, values);
    for (var key = 1; key <= times.length; key = key + 1) {
      property.setInterpolationTypeAtKey(key, linear, linear);
      if (property.isSpatial) {
        var isDeep = property.propertyValueType === PropertyValueType.ThreeD_SPATIAL;
        var zero = isDeep ? [0, 0, 0] : [0, 0];
        property.setSpatialAutoBezierAtKey(key, false);
        property.setSpatialContinuousAtKey(key, false);
        property.setSpatialTangentsAtKey(key, zero, zero);
      }
    }
  }

  function place(layer, name, comment, stretch, start, from, to, enabled) {
    layer.name = name;
    layer.comment = comment;
    if (stretch !== 100) {
      layer.stretch = stretch;
    }
    layer.startTime = start;
    layer.inPoint = from;
    layer.outPoint = to;
    layer.enabled = enabled;
  }

  function hold(layer, at, value) {
    layer.timeRemapEnabled = true;
    var map = layer.property("ADBE Time Remapping");
    map.setValueAtTime(at, value);
    while (map.numKeys > 0 && map.keyTime(map.numKeys) > at) {
      map.removeKey(map.numKeys);
    }
  }

  function mask(layer, mode, vertices, inTangents, outTangents, feather, inverted) {
    var shape = new Shape();
    var added = layer.property("ADBE Mask Parade").addProperty("ADBE Mask Atom");
    shape.vertices = vertices;
    shape.inTangents = inTangents;
    shape.outTangents = outTangents;
    shape.closed = true;
    added.property("ADBE Mask Shape").setValue(shape);
    added.property("ADBE Mask Feather").setValue([feather, feather]);
    added.maskMode = mode;
    added.inverted = inverted;
  }

  function write(layer, size, font, color, justification, leading) {
    var source = layer.property("ADBE Text Properties").property("ADBE Text Document");
    var written = source.value;
    written.fontSize = size;
    written.font = font;
    written.applyFill = true;
    written.fillColor = color;
    written.justification = justification;
    written.leading = leading;
    source.setValue(written);
  }
`;
