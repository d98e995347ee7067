import { Exception } from '@adonisjs/core/exceptions'

/** An event can't be undone. */
export class UndoRefused extends Exception {
  static status = 409
  static code = 'E_UNDO_REFUSED'
  static message = 'This can no longer be undone'

  /**
   * @param reason   catalogue key below `undo.refused`
   * @param data     data of the message
   * @param records  conflicting records, with keys in the format of URL paths
   */
  constructor(
    readonly reason: string,
    readonly data: Record<string, unknown> = {},
    readonly records: ReadonlyArray<{ model: string; id: string; label: string }> = []
  ) {
    super()
  }
}
