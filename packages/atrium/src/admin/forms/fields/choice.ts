/**
 * A record that a reference field may refer to.
 */
export interface Choice {
  /** Value of the foreign key, as text */
  value: string
  label: string
  /** A line that says more, where the template has room for one */
  help?: string
}
