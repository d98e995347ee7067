import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { engineFile } from '#base/engine_file'

const SWAGGER_UI = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

/** The assets of the API page: Swagger UI as its package has it, and our additions. [Q1] */
export const docsAssets = [
  { name: 'docs.css', paths: [join(SWAGGER_UI, 'swagger-ui.css'), own('docs.css')] },
  { name: 'swagger-ui.js', paths: [join(SWAGGER_UI, 'swagger-ui-bundle.js')] },
  { name: 'docs.js', paths: [own('docs.js')] },
  { name: 'icon.svg', paths: [own('icon.svg')] },
]

function own(file: string): string {
  return engineFile(`assets/docs/${file}`)
}
