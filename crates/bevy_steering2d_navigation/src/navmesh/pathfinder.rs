//! [`NavmeshPathfinder`]: plans over a navigation mesh.

use std::collections::BTreeMap;
use std::task::Poll;

use bevy::prelude::*;
use vleue_navigator::NavMesh;

use super::NavmeshInset;
use super::area::Area;
use super::ground::{Ground, NavmeshError};
use super::search::Search;
use crate::paths::{ClearanceGrids, Room};
use crate::{NoPathReason, PathQuery, PathSearch, Pathfinder, RoadmapPathfinder, Solid};

/// Finds shortest paths over a navigation mesh, by the algorithm Polyanya.
///
/// Paths keep the radius of the body and 2 cm away from the border of the mesh and from all other solids, and where
/// there is room 30 cm more. Solids that the mesh does not know, such as a wall built later, are gone around as
/// well. Where the target is nearer to the border than the radius, or beside the mesh by no more than that, the path
/// ends at the nearest place with room.
///
/// In large worlds searches are much faster than those of [`RoadmapPathfinder`]. But for each radius the mesh is cut
/// back once, when a path of such a body first bends, which takes longer than a search. It is done anew after each
/// change of mesh or solids, so let agents have few different radii. What is cut for 64 radii is kept; of more that are in
/// use, only the last ones are cut again and again.
///
/// An expansion is a step of the search, across at most three edges of the cut mesh.
///
/// In an app [`NavmeshPlugin`](crate::NavmeshPlugin) uses it. It also works alone:
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_navigation::{NavmeshPathfinder, PathQuery, PathSearch, Pathfinder};
/// # use vleue_navigator::NavMesh;
/// let room = [(0.0, 0.0), (12.0, 0.0), (12.0, 8.0), (0.0, 8.0)].map(Vec2::from);
/// let hole = [(5.0, 2.0), (7.0, 2.0), (7.0, 6.0), (5.0, 6.0)].map(Vec2::from);
/// let mesh = NavMesh::from_edge_and_obstacles(room.to_vec(), vec![hole.to_vec()]);
/// let mut planner = NavmeshPathfinder::default();
/// planner.set_mesh(&mesh, 0.0)?;
/// let query = PathQuery { from: Vec2::new(2.0, 4.0), to: Vec2::new(10.0, 4.0), radius: 0.5 };
/// let PathSearch::Found(path) = planner.find(&query, &mut 1_000) else {
///     panic!("there is a way around");
/// };
/// assert!(path.len() > 2);
/// # Ok::<(), bevy_steering2d_navigation::NavmeshError>(())
/// ```
#[derive(Default)]
pub struct NavmeshPathfinder {
    ground: Option<Ground>,
    /// All solids but the border.
    others: Vec<Solid>,
    /// All solids, each once.
    solids: Vec<Solid>,
    grids: ClearanceGrids,
    /// By the bits of the radius.
    areas: BTreeMap<u32, Area>,
    searches: Vec<Search>,
    /// For the ways that searches miss.
    roadmap: RoadmapPathfinder,
    /// Counts the queries; tells which areas and searches were used last.
    queries: u64,
}

impl NavmeshPathfinder {
    /// The most radii whose areas are kept.
    const AREAS: usize = 64;
    /// An area that none of so many queries needed is no longer in use.
    const IN_USE: u64 = 1024;
    /// The most searches that are kept for later calls.
    const SEARCHES: usize = 64;
    /// An agent that has moved straight by no more than this, m, continues its search.
    const SAME_START: f32 = 1.0;

    /// Plans over a mesh from now on. The inset is zero for a mesh that reaches up to its real border.
    ///
    /// # Errors
    /// When the mesh cannot be used. Then there is none, and queries are answered with
    /// [`NoPathReason::NotReady`].
    pub fn set_mesh(
        &mut self,
        mesh: &NavMesh,
        inset: impl Into<NavmeshInset>,
    ) -> Result<(), NavmeshError> {
        self.remove_mesh();
        self.ground = Some(Ground::of(mesh, inset)?);
        self.start_over();
        Ok(())
    }

    /// Has no mesh from now on: queries are answered with [`NoPathReason::NotReady`].
    pub fn remove_mesh(&mut self) {
        self.ground = None;
        self.start_over();
    }

    /// The border of the mesh: segments with the mesh on their left.
    pub fn border(&self) -> &[Solid] {
        self.ground.as_ref().map_or(&[], Ground::border)
    }

    fn start_over(&mut self) {
        let mut solids = [self.border(), &self.others].concat();
        solids.sort_unstable_by(Solid::total_order);
        solids.dedup();
        self.roadmap.set_solids(&solids);
        self.solids = solids;
        self.grids.clear();
        self.areas.clear();
        self.searches.clear();
    }

    fn area<'a>(
        areas: &'a mut BTreeMap<u32, Area>,
        grids: &mut ClearanceGrids,
        solids: &[Solid],
        radius: f32,
        used: u64,
    ) -> &'a mut Area {
        let key = radius.to_bits();
        if !areas.contains_key(&key)
            && areas.len() >= Self::AREAS
            && let Some(dispensable) = Self::dispensable(areas, used)
        {
            areas.remove(&dispensable);
        }
        let area = areas.entry(key).or_insert_with(|| {
            let grid = grids.reaching(Room::reach(radius), solids);
            Area::new(grid, radius, used)
        });
        area.used = used;
        area
    }

    /// The radius whose area is given up for another one: one that is no longer in use, else the newest. If the one used
    /// longest ago were given up, too many radii that take turns would all lose theirs.
    fn dispensable(areas: &BTreeMap<u32, Area>, now: u64) -> Option<u32> {
        let (oldest, area) = areas.iter().min_by_key(|(_, area)| area.used)?;
        if now - area.used > Self::IN_USE {
            return Some(*oldest);
        }
        let newest = areas.iter().max_by_key(|(_, area)| area.made);
        newest.map(|(newest, _)| *newest)
    }

    /// The search that a query continues: of those with the same goal and radius that began in view of it, the nearest.
    fn take_search(
        searches: &mut Vec<Search>,
        query: &PathQuery,
        is_in_view: impl Fn(Vec2) -> bool,
    ) -> Option<Search> {
        let distance = |it: &Search| it.query.from.distance(query.from);
        let all = searches.iter().enumerate();
        let same = all.filter(|(_, it)| {
            it.query.to == query.to
                && it.query.radius == query.radius
                && distance(it) <= Self::SAME_START
                && is_in_view(it.start)
        });
        let nearest = same.min_by(|(_, a), (_, b)| distance(a).total_cmp(&distance(b)));
        let index = nearest.map(|(index, _)| index)?;
        Some(searches.swap_remove(index))
    }

    /// Plans with a roadmap of the solids: both ends are on one island, so there is a way that the search has missed.
    fn find_around(
        &mut self,
        query: &PathQuery,
        search: Search,
        expansions: &mut u32,
    ) -> PathSearch {
        let inner = PathQuery {
            from: search.start,
            to: search.goal,
            radius: query.radius,
        };
        match self.roadmap.find(&inner, expansions) {
            PathSearch::Found(mut path) => {
                path.remove(0);
                PathSearch::Found(self.path(query, search.start, path))
            }
            PathSearch::Unfinished => {
                self.keep_search(search);
                PathSearch::Unfinished
            }
            none => none,
        }
    }

    fn path(&mut self, query: &PathQuery, start: Vec2, bends: Vec<Vec2>) -> Vec<Vec2> {
        let area = Self::area(
            &mut self.areas,
            &mut self.grids,
            &self.solids,
            query.radius,
            self.queries,
        );
        area.path(query.from, start, bends)
    }

    fn keep_search(&mut self, search: Search) {
        if self.searches.len() >= Self::SEARCHES {
            let all = self.searches.iter().enumerate();
            if let Some((oldest, _)) = all.min_by_key(|(_, it)| it.used) {
                self.searches.swap_remove(oldest);
            }
        }
        self.searches.push(search);
    }
}

impl Pathfinder for NavmeshPathfinder {
    fn set_solids(&mut self, solids: &[Solid]) {
        self.others = solids.to_vec();
        self.start_over();
    }

    fn find(&mut self, query: &PathQuery, expansions: &mut u32) -> PathSearch {
        self.queries += 1;
        let Some(ground) = &self.ground else {
            return PathSearch::None(NoPathReason::NotReady);
        };
        let area = Self::area(
            &mut self.areas,
            &mut self.grids,
            &self.solids,
            query.radius,
            self.queries,
        );
        if area.is_straight(ground, query) {
            return PathSearch::Found(vec![query.from, query.to]);
        }
        let ends = match area.ends(ground, &self.solids, query) {
            Ok(ends) => ends,
            Err(reason) => return PathSearch::None(reason),
        };
        let here = ends.from;
        // A wall may be between two agents that are close to each other.
        let is_in_view = |start: Vec2| start == here || area.is_clear(start, here);
        let begun = Self::take_search(&mut self.searches, query, is_in_view);
        let mut search = begun.unwrap_or_else(|| Search::new(query, ends));
        search.used = self.queries;
        // The agent may move on while it searches.
        search.query.from = query.from;
        match search.go_on(expansions) {
            Poll::Pending => {
                self.keep_search(search);
                PathSearch::Unfinished
            }
            Poll::Ready(Some(path)) => PathSearch::Found(self.path(query, search.start, path)),
            Poll::Ready(None) => self.find_around(query, search, expansions),
        }
    }

    fn is_clear(&mut self, from: Vec2, to: Vec2, radius: f32) -> bool {
        let area = Self::area(
            &mut self.areas,
            &mut self.grids,
            &self.solids,
            radius,
            self.queries,
        );
        area.is_clear(from, to)
    }

    fn has_ground(&self, at: Vec2) -> bool {
        self.ground
            .as_ref()
            .is_none_or(|ground| ground.contains(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::navmesh::area::Ends;

    fn room(from: Vec2, to: Vec2, hole: Vec<Vec2>) -> NavMesh {
        let corners = [from, Vec2::new(to.x, from.y), to, Vec2::new(from.x, to.y)];
        NavMesh::from_edge_and_obstacles(corners.to_vec(), vec![hole])
    }

    /// Plans for so many radii in turn, twice. Returns how many areas of the first round are still there after the second.
    fn areas_that_last(radii: u32) -> usize {
        let hole = [(4.0, 1.0), (6.0, 1.0), (6.0, 5.0), (4.0, 5.0)].map(Vec2::from);
        let mut planner = NavmeshPathfinder::default();
        let mesh = room(Vec2::ZERO, Vec2::new(10.0, 8.0), hole.to_vec());
        planner.set_mesh(&mesh, 0.0).unwrap();
        let round = |planner: &mut NavmeshPathfinder| -> BTreeMap<u32, u64> {
            for index in 0..radii {
                let query = PathQuery {
                    from: Vec2::new(2.0, 4.0),
                    to: Vec2::new(8.0, 4.0),
                    radius: 0.2 + 0.005 * index as f32,
                };
                let mut portions = (0..1_000).map(|_| planner.find(&query, &mut 100));
                let found = portions.find(|it| *it != PathSearch::Unfinished);
                assert!(matches!(found, Some(PathSearch::Found(_))), "{found:?}");
            }
            let areas = planner.areas.iter();
            areas.map(|(&key, area)| (key, area.made)).collect()
        };
        let (first, second) = (round(&mut planner), round(&mut planner));
        let lasting = first
            .iter()
            .filter(|(key, made)| second.get(key) == Some(made));
        lasting.count()
    }

    #[test]
    fn nine_radii_that_take_turns_cut_the_mesh_once_each() {
        assert_eq!(areas_that_last(9), 9);
    }

    #[test]
    fn of_more_radii_than_are_kept_most_keep_what_was_cut_for_them() {
        assert_eq!(areas_that_last(70), NavmeshPathfinder::AREAS - 1);
    }

    #[test]
    fn a_radius_that_is_no_longer_in_use_makes_room_for_another_one() {
        let mut areas = BTreeMap::new();
        for (key, used) in [(1, 7), (2, 2_000)] {
            let grid = ClearanceGrids::default().reaching(1.0, &[]);
            areas.insert(key, Area::new(grid, 0.5, used));
        }
        assert_eq!(NavmeshPathfinder::dispensable(&areas, 2_001), Some(1));
        assert_eq!(NavmeshPathfinder::dispensable(&areas, 1_000), Some(2));
    }

    #[test]
    fn a_way_that_the_search_misses_is_found_with_the_roadmap() {
        let hole = [(4.0, 1.0), (6.0, 1.0), (6.0, 5.0), (4.0, 5.0)].map(Vec2::from);
        let mut planner = NavmeshPathfinder::default();
        let mesh = room(Vec2::ZERO, Vec2::new(10.0, 8.0), hole.to_vec());
        planner.set_mesh(&mesh, 0.0).unwrap();
        let query = PathQuery {
            from: Vec2::new(2.0, 4.0),
            to: Vec2::new(8.0, 4.0),
            radius: 0.5,
        };
        // A search over a mesh on which neither end is.
        let far = Vec2::splat(100.0);
        let ends = Ends {
            mesh: room(far, far + 1.0, Vec::new()),
            from: query.from,
            to: query.to,
        };
        let mut search = Search::new(&query, ends);
        assert_eq!(search.go_on(&mut 10), Poll::Ready(None));
        planner.keep_search(search);
        let mut portions = (0..1_000).map(|_| planner.find(&query, &mut 16));
        let found = portions.find(|it| *it != PathSearch::Unfinished);
        let Some(PathSearch::Found(path)) = found else {
            panic!("{found:?}");
        };
        assert_eq!((path[0], path[path.len() - 1]), (query.from, query.to));
        assert!(path.len() > 2, "{path:?}");
    }
}
