import { listed } from '#base/errors'
import { ALL, type ModelPermissions, type PermissionsDocument } from './document.js'

/**
 * Describes permissions, one line for each model: `Film: view, update; without us_gross; title can't be
 * changed; only ownBranch`. [U6]
 */
export function permissionsInWords(document: PermissionsDocument): string[] {
  const models = Object.entries(document)
  if (models.length === 0) return ['nothing']
  const isAlone = models.length === 1
  return models.map(([model, entry]) => {
    const name = model === ALL ? (isAlone ? 'All models' : 'All other models') : model
    return `${name}: ${entryInWords(entry)}`
  })
}

function entryInWords({ actions, hidden, readonly, scopes }: ModelPermissions): string {
  if (actions.length === 0) return 'nothing'
  const parts = [actions.includes(ALL) ? 'everything' : actions.join(', ')]
  if (hidden) parts.push(`without ${listed(hidden)}`)
  if (readonly) parts.push(`${listed(readonly)} can't be changed`)
  if (scopes) parts.push(scopes.length > 0 ? `only ${scopes.join(' or ')}` : 'no records')
  return parts.join('; ')
}
