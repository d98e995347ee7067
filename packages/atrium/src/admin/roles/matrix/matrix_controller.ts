import type { HttpContext } from '@adonisjs/core/http'
import type { Site } from '../../views/site.js'
import { PageNotFound } from '../../http/errors.js'
import { InvalidPermissions } from '../../models/permissions_document.js'
import { readInputName, readFolded, type FoldedPermissions } from './read_matrix.js'
import { matrixMore } from './matrix_view.js'

/* Name of the form field that contains the matrix */
const FIELD = 'permissions'

/** Returns the folded part of a matrix row when the row is unfolded. */
export class MatrixController {
  constructor(private readonly site: Site) {}

  /**
   * Renders the fields and records of one model. The query has the format of the row's hidden input:
   * `?permissions.kept.Film={"hidden":["us_gross"]}`.
   *
   * @throws PageNotFound  for any other query
   */
  async show(ctx: HttpContext): Promise<unknown> {
    const inputs = [...new URLSearchParams(ctx.request.parsedUrl.query ?? '')]
    const [name, text] = inputs.length === 1 ? inputs[0] : ['', '']
    const { part, model } = readInputName(FIELD, name) ?? {}
    const stored = part === 'kept' ? storedIn(text) : null
    if (model === undefined || !stored) throw new PageNotFound()
    const more = matrixMore(this.site, FIELD, model, stored)
    return await this.site.render(ctx, 'partials/fields/permissions_more', { more })
  }
}

function storedIn(text: string): FoldedPermissions | null {
  try {
    return readFolded(text)
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof InvalidPermissions) return null
    throw error
  }
}
