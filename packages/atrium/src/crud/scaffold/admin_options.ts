/* A list with fewer columns has room for timestamps. */
const FEW_COLUMNS = 4

interface AdminOptions {
  /** API names of the columns of a list, without timestamps */
  columns: readonly string[]
  hasTimestamps: boolean
  /** By API name */
  widgets: ReadonlyMap<string, string>
  /** Attributes of relations whose records are rows in the form */
  inlines?: readonly string[]
}

/** The code of the options of `@AdminView`, empty without any. */
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
