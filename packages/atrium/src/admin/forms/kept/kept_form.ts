/**
 * The texts that were typed into a form that is not saved yet.
 */
export interface KeptForm {
  /** Address of the form's page: path and query */
  address: string
  /** Texts by the names of the inputs, without secrets and files */
  texts: Record<string, string[]>
  /** The reference that a record is being made for [R5] */
  asked?: AskedReference
  /** Title of the record that was made for it */
  made?: string
  /** Sentence about why it was kept, as a key of the catalogue below `form.kept` */
  reason: 'unsent' | 'unproved' | 'beside'
}

/**
 * A reference of a form that a new record is wanted for. [R5]
 */
export interface AskedReference {
  /** Name of the input, which may be that of a row: `items.0.product_id` */
  input: string
  /** Name of the model that has the reference */
  model: string
  /** API name of the reference's column */
  field: string
}
