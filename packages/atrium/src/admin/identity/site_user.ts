import { notePerson, type Person } from './person.js'

/**
 * The signed-in user for templates, as `site.user`, with only these three properties. `userActor(site.user)` is the
 * actor of the request, with the permissions of the page, even while a superuser views the site as a role.
 */
export interface SiteUser {
  readonly id: number
  readonly username: string
  /** False for a superuser who currently views the site as a role */
  readonly isSuperuser: boolean
}

export function siteUser(owner: SiteUser & Person): SiteUser {
  const user = Object.freeze({
    id: owner.id,
    username: owner.username,
    isSuperuser: owner.isSuperuser,
  })
  notePerson(user, owner)
  return user
}
