/** Query parameter that hides the fields whose values are equal. */
export const ONLY_DIFFERENCES = 'differences'

/** Heading of a column of a comparison: a record or a version. */
export interface ComparedColumn {
  title: string
  href: string | null
  isDeleted: boolean
  /** URL of the comparison without this column; null if too few would remain */
  without: string | null
}

/** A field of a comparison, with one value per column. */
export interface ComparedField<Value> {
  name: string
  label: string
  differs: boolean
  values: Value[]
}

/** A value with an id that is the same for equal values */
interface Comparable {
  name: string
  label: string
  id: string
}

/**
 * Returns each field with its values in all columns.
 *
 * @param columns  the same fields of each record or version, in the same order
 */
export function comparedFields<Value extends Comparable>(
  columns: ReadonlyArray<readonly Value[]>
): Array<ComparedField<Value>> {
  return columns[0].map(({ label, name }, index) => {
    const values = columns.map((column) => column[index])
    const differs = values.some(({ id }) => id !== values[0].id)
    return { name, label, differs, values }
  })
}
