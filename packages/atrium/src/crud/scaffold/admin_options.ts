/* A list with fewer columns has enough space for timestamps. */
const FEW_COLUMNS = 4

interface AdminOptions {
  /** API names of the columns of a list, without timestamps */
  columns: readonly string[]
  hasTimestamps: boolean
  /** Widgets by API name */
  widgets: ReadonlyMap<string, string>
  /** Attributes of relations whose records are edited as rows in the form */
  inlines?: readonly string[]
}

/** Returns the code of the options of `@AdminView`, empty if there are none. */
export function adminOptions({
  columns,
  hasTimestamps,
  widgets,
  inlines = [],
}: AdminOptions): string {
  const fields = [...widgets].map(([name, widget]) => `${name}: { widget: '${widget}' }`)
  const options = [
    hasTimestamps && columns.length > FEW_COLUMNS ? `listColumns: [${quoted(columns)}]` : [],
    inlines.length > 0 ? `inlines: [${quoted(inlines)}]` : [],
    fields.length > 0 ? `fields: { ${fields.join(', ')} }` : [],
  ].flat()
  return options.length > 0 ? `{ ${options.join(', ')} }` : ''
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ')
}
