/** The reason why a value is invalid for its column. */
export interface ValueError {
  rule: string
  /** End of the message that begins with "The x field ..." */
  message: string
}

/** Errors that columns of all types share. */
export const ERRORS = {
  text: { rule: 'text', message: 'must not contain NUL or broken characters' },
  string: { rule: 'string', message: 'must be a string' },
  integer: { rule: 'integer', message: 'must be an integer of at most 64 bits' },
  number: { rule: 'number', message: 'must be a number' },
  boolean: { rule: 'boolean', message: 'must be true or false' },
  date: { rule: 'date', message: 'must be a date as YYYY-MM-DD' },
  datetime: {
    rule: 'datetime',
    message: 'must be a datetime as YYYY-MM-DD HH:MM:SS in UTC, or ISO 8601 with an offset',
  },
  time: { rule: 'time', message: 'must be a time as HH:MM:SS' },
  uuid: { rule: 'uuid', message: 'must be a UUID' },
  binary: { rule: 'base64', message: 'must be text in base64' },
  list: { rule: 'list', message: 'must be a list' },
  null: { rule: 'nullable', message: 'must not be null' },
  file: { rule: 'file', message: 'must be a file' },
  files: { rule: 'file', message: 'must be a list of files that the record has' },
} satisfies Record<string, ValueError>
